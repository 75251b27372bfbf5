/** The command of README.md that starts what the others talk to: run without "npm ci", and with ports that are free. */
export const startCommand = 'npm ci && npm start';

/** Commands that no test of this folder runs, with the reason. */
export const notRun: Readonly<Record<string, string>> = {
  'npm ci && npm test': 'is what runs this test',
  'npm ci': 'has been run, else there would be no test',
  'npm test': 'is what runs this test',
  'npm test -- test/http/me.403.test.ts': 'is a part of what runs this test',
  'npm test -- test/browser/trip.test.ts': 'is a part of what runs this test',
  'npm run check': 'is run by test/rules/check.test.ts',
  'npm run format': 'changes the files that are tested; what it repairs is found by test/rules/check.test.ts',
  'npm run docs':
    'changes the files that are tested; test/rules/documents.test.ts makes the same and compares',
  'npm run bench': 'takes twelve minutes and two idle cores',
  'npm run chaos -- --kills 100 --database postgres --processes 2':
    'takes ten minutes; test/fault/records-durable.test.ts does the same with a few kills',
  'npm run overload -- --database sqlite':
    'measures, and wants two idle cores; test/fault/overload-http.test.ts holds what can be counted',
};

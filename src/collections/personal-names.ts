/** Words that mostly stand for something about a person. */
const personalWords = new Set(
  'name fullname firstname lastname surname forename nickname email mail phone telephone mobile dob address street picture avatar photo'.split(
    ' ',
  ),
);

/** Whether a field's name looks as if the field held personal data: `first_name`, `eMail`, `birthDate`. */
export function looksPersonal(name: string): boolean {
  const words = wordsOf(name);
  const joined = words.slice(1).map((word, index) => `${words[index]}${word}`);
  return [...words, ...joined].some(
    (word) =>
      personalWords.has(word) ||
      personalWords.has(word.replace(/e?s$/, '')) ||
      /^birth(s|day|date|place|year|month|days|dates)?$/.test(word),
  );
}

/** The words of a name in snake, kebab or camel case, in small letters. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}

export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | null | readonly Html[];

/** Escapes every part that is not markup already. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: String.raw({ raw: texts }, ...parts.map(toMarkup)) };
}

function toMarkup(part: Part): string {
  if (part === null) return '';
  if (typeof part !== 'object') return plain(String(part));
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function plain(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** What the sentences of a language are written with. */
export interface Forms {
  /** "a, b and c". */
  and(words: readonly string[]): string;
  /** "a, b or c". */
  or(words: readonly string[]): string;
  /** The form for a number by the rules of the language. `forms` gets the number as it is written there. */
  plural(count: number, forms: (number: string) => PluralForms): string;
}

type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** The region of the browser, where it has the language: "en-GB" writes dates otherwise than "en-US". */
export function localeOf(language: string): string {
  return navigator.languages.find((one) => one.split('-')[0] === language) ?? language;
}

export function formsOf(locale: string): Forms {
  const numbers = new Intl.NumberFormat(locale);
  const rules = new Intl.PluralRules(locale);
  const join = (type: Intl.ListFormatType) => {
    const format = new Intl.ListFormat(locale, { type });
    return (words: readonly string[]) => format.format(words);
  };
  return {
    and: join('conjunction'),
    or: join('disjunction'),
    plural(count, forms) {
      const known = forms(numbers.format(count));
      return known[rules.select(count)] ?? known.other;
    },
  };
}

/** What a problem is about, in the words of the declaration. */
export interface About {
  /** What a record is called, and what all are called: "Booking", "Bookings". */
  readonly one: string;
  readonly many: string;
  /** What the record above is called; empty without one. */
  readonly parent: string;
  /** The records below, of the collection that the problem names. */
  readonly child: string;
  readonly children: string;
  /** How many of them there are; 0 where that is not known. */
  readonly count: number;
  /** The labels of the fields that the problem names. */
  readonly fields: readonly string[];
  /** The problem concerns only what the person has. */
  readonly isOwn: boolean;
}

import { useApp } from './context.ts';
import { t } from './words.ts';

/** The logo of the operator, or the first letter of the title. */
export function BrandMark({ size = 24 }: { readonly size?: number }) {
  const { logo, title } = useApp().settings.brand;
  if (logo !== undefined) return <img class="brand-mark" src={logo} alt="" height={size} />;
  return (
    <span class="brand-mark letter" aria-hidden="true">
      {[...title][0]?.toUpperCase()}
    </span>
  );
}

/** The links that a law may ask for on every page, before a sign-in, too. */
export function BrandLinks() {
  const { imprint, privacy } = useApp().settings.brand;
  if (imprint === undefined && privacy === undefined) return null;
  return (
    <footer class="foot">
      {imprint && <a href={imprint}>{t.frame.imprint}</a>}{' '}
      {privacy && <a href={privacy}>{t.frame.privacy}</a>}
    </footer>
  );
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browsing } from './browser.ts';

const stones = '/api/consumer/v1/stones';

const running = await browsing();
const { site } = running;

describe('an unreachable service or network', () => {
  it('a list reports that the service is down, and loads when it is back', async () => {
    await using visitor = await running.signedIn('Listing');
    await visitor.open('data', 'stones');
    await visitor.sees('No stones yet.');
    await visitor.open('data', 'sparks');
    await visitor.sees('No sparks yet.');
    await site.stopService();
    await visitor.link('Stones').click();
    await visitor.page.getByRole('alert').getByText('No answer from the service').waitFor();
    await site.startService();
    await visitor.button('Try again').click();
    await visitor.sees('No stones yet.');
    running.caused(
      'net::ERR_CONNECTION_REFUSED /api/consumer/v1/me/usage',
      `net::ERR_CONNECTION_REFUSED ${stones}`,
    );
  });

  it('a form keeps the draft while the service is down, and saves it once', async () => {
    await using visitor = await running.signedIn('Saving');
    await visitor.fillNew('stones', 'Colour', 'Slate');
    await site.stopService();
    await visitor.saveButton.click();
    await visitor.page.getByRole('alert').getByText('No answer from the service').waitFor();
    assert.equal(await visitor.field('Colour').inputValue(), 'Slate');
    await site.startService();
    await visitor.saveButton.click();
    await visitor.title('Slate').waitFor();
    assert.equal((await visitor.elsewhere().all('stones')).length, 1);
    running.caused(`net::ERR_CONNECTION_REFUSED ${stones}`);
  });

  it('repeating a create whose answer was lost makes one record', async () => {
    await using visitor = await running.signedIn('Unlucky');
    await visitor.fillNew('stones', 'Colour', 'Slate');
    await visitor.page.route(`**${stones}`, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await visitor.saveButton.click();
    await visitor.page.getByRole('alert').getByText('No answer from the service').waitFor();
    assert.equal((await visitor.elsewhere().all('stones')).length, 1, 'it has arrived');
    await visitor.page.unroute(`**${stones}`);
    await visitor.saveButton.click();
    await visitor.title('Slate').waitFor();
    assert.equal((await visitor.elsewhere().all('stones')).length, 1, 'and it is still one');
    running.caused(`net::ERR_CONNECTION_RESET ${stones}`);
  });

  it('the page reports that its settings cannot be loaded, and can retry', async () => {
    await using visitor = await running.visitor();
    const settings = '**/web/config.json';
    await visitor.page.route(settings, (route) => route.abort('connectionrefused'));
    await visitor.page.reload();
    await visitor.heading('The service does not answer').waitFor();
    await visitor.page.unroute(settings);
    await visitor.button('Try again').click();
    await visitor.button('Sign in').waitFor();
    running.caused('net::ERR_CONNECTION_REFUSED /web/config.json');
  });

  it('offline is shown at once, and the draft is saved when the network is back', async () => {
    await using visitor = await running.signedIn('Travelling');
    await visitor.fillNew('stones', 'Colour', 'Slate');
    await visitor.connect(false);
    const banner = visitor.page.getByRole('alert').getByText(/You are offline/);
    await banner.waitFor();
    await visitor.saveButton.click();
    await visitor.page.getByRole('alert').getByText('No answer from the service').waitFor();
    assert.equal(await visitor.field('Colour').inputValue(), 'Slate');
    await visitor.connect(true);
    await banner.waitFor({ state: 'detached' });
    await visitor.saveButton.click();
    await visitor.title('Slate').waitFor();
    running.caused(`net::ERR_INTERNET_DISCONNECTED ${stones}`);
  });

  it('an export that breaks off is not saved as a file', async () => {
    await using visitor = await running.signedIn('Cut');
    await visitor.open('you');
    let downloads = 0;
    visitor.page.on('download', () => {
      downloads += 1;
    });
    await visitor.page.route('**/me/export', async (route) => {
      const response = await route.fetch();
      const lines = (await response.text()).trimEnd().split('\n');
      await route.fulfill({ response, body: `${lines.slice(0, -1).join('\n')}\n` });
    });
    await visitor.button('Export as a file').click();
    await visitor.page.getByRole('alert').getByText('The export is incomplete').waitFor();
    assert.equal(downloads, 0);
    running.caused();
  });
});

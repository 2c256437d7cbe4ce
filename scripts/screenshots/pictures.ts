import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { projectRoot } from '../stack/project-root';

/** A picture of a page: where it is, what must be there before it is taken, and how high it is (CSS pixels). */
export interface Picture {
  readonly name: string;
  readonly url: string;
  /** A text that the page shows once it is complete. */
  readonly shows: string;
  readonly height: number;
  /** Whether the text is in a frame of the page. */
  readonly inFrame?: boolean;
}

const WIDTH = 1_280;
const PATIENCE_MS = 30_000;

/** Takes `pictures` with the browser at `browserPath` and writes them to docs/images. */
export const takePictures = async (browserPath: string, pictures: ReadonlyArray<Picture>): Promise<void> => {
  const browser = await chromium.launch({ executablePath: browserPath, args: [...QUIET] });
  try {
    for (const picture of pictures) {
      const page = await browser.newPage({
        viewport: { width: WIDTH, height: picture.height },
        colorScheme: 'light',
        timezoneId: 'UTC',
      });
      await take(page, picture);
      await page.close();
    }
  } finally {
    await browser.close();
  }
};

const take = async (page: Page, { name, url, shows, inFrame = false }: Picture): Promise<void> => {
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await (inFrame ? page.frameLocator('iframe') : page).getByText(shows).first().waitFor();
  await page.waitForLoadState('networkidle').catch(() => undefined); // pages that poll are never idle
  await page.screenshot({ path: join(projectRoot, 'docs', 'images', `${name}.png`), animations: 'disabled' });
};

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
] as const;

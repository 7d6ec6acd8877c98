/** Writes the documents that the demo uploads into `documents/` beside this file. */
import { writeFile } from 'node:fs/promises';
import { makeHandbook } from './make-handbook.ts';
import { makePriceList } from './make-price-list.ts';

// Archives carry local times; every maker's file is to be the same.
process.env.TZ = 'UTC';

const folder = new URL('./documents/', import.meta.url);
await writeFile(new URL('handbook.pdf', folder), await makeHandbook());
await writeFile(new URL('price-list.docx', folder), await makePriceList());

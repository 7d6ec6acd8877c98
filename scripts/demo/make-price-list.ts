import { mock } from 'node:test';
import { Document, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow } from 'docx';

const rentals = [
  ['Bike', 'First hour', 'Each further hour', 'Day', 'Week'],
  ['City bike', '4 euros', '2 euros', '16 euros', '80 euros'],
  ['Electric bike', '9 euros', '5 euros', '38 euros', '190 euros'],
  ['Cargo bike', '12 euros', '6 euros', '49 euros', '245 euros'],
  ['Children’s bike', '3 euros', '1 euro', '9 euros', '45 euros'],
];

const extras = [
  'Child seat: 3 euros a day',
  'Rain cape: 2 euros a day',
  'Pair of panniers: 4 euros a day',
  'Bike trailer for two children: 11 euros a day',
  'Phone holder: 1 euro a day',
];

const repairs = [
  'Flat tyre on your own bike: 18 euros, done while you wait.',
  'New brake pads: 24 euros for a pair, the work included.',
  'Spring service with cleaning, gears and brakes: 65 euros, ready on the next working day.',
];

/** The price list as a docx with headings, a table and lists, byte for byte the same on every run. */
export function makePriceList(): Promise<Uint8Array> {
  return atFixedTime(() => Packer.toBuffer(priceList()));
}

function priceList(): Document {
  return new Document({
    title: 'Lumen Bikes price list',
    creator: 'Lumen Bikes',
    sections: [
      {
        children: [
          new Paragraph({ text: 'Lumen Bikes price list', heading: HeadingLevel.TITLE }),
          new Paragraph('All prices include value added tax, a helmet, a lock and lights.'),
          heading('Rental'),
          table(rentals),
          new Paragraph('A week costs as much as five days. Students and pensioners pay 20 percent less.'),
          heading('Extras'),
          ...extras.map((text) => new Paragraph({ text, bullet: { level: 0 } })),
          heading('Repairs of your own bike'),
          ...repairs.map((text) => new Paragraph(text)),
        ],
      },
    ],
  });
}

function heading(text: string): Paragraph {
  return new Paragraph({ text, heading: HeadingLevel.HEADING_1 });
}

function table(rows: readonly (readonly string[])[]): Table {
  return new Table({
    rows: rows.map(
      (cells) =>
        new TableRow({ children: cells.map((text) => new TableCell({ children: [new Paragraph(text)] })) }),
    ),
  });
}

/** The library stamps the time of day on the document and on every part of its file; there is no option for it. */
async function atFixedTime<T>(make: () => Promise<T>): Promise<T> {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 5, 9) });
  try {
    return await make();
  } finally {
    mock.timers.reset();
  }
}

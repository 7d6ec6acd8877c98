import { json } from 'node:stream/consumers';
import { readQrCode } from './demo/qr-code.ts';

/** Reads the response of a device's status from standard input and prints the text of its QR code. */
const { data } = (await json(process.stdin)) as { data?: { qr_code?: string; message?: string } };
if (data?.qr_code === undefined) {
  process.stderr.write(`There is no QR code: ${data?.message ?? "the input is not a device's status"}\n`);
  process.exit(1);
}
process.stdout.write(`${readQrCode(data.qr_code)}\n`);

import { json } from 'node:stream/consumers';
import { readQrCode } from './demo/qr-code.ts';

/** Reads a device's status (the API's answer) from standard input and prints what its QR code says. */
const { data } = (await json(process.stdin)) as { data?: { qr_code?: string; message?: string } };
if (data?.qr_code === undefined) {
  process.stderr.write(`There is no QR code: ${data?.message ?? 'that is not the status of a device'}\n`);
  process.exit(1);
}
process.stdout.write(`${readQrCode(data.qr_code)}\n`);

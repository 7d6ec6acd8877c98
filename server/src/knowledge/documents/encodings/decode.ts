type CodePage = keyof typeof codePages;

const isCodePage = (encoding: string): encoding is CodePage => encoding in codePages;

/** Returns the text without its byte order mark. Invalid bytes and unpaired surrogates become U+FFFD. */
export function decodeText(bytes: Uint8Array, encoding: string): string {
  if (isCodePage(encoding)) return decodeCodePage(bytes, codePages[encoding]);
  if (encoding === 'utf-32le' || encoding === 'utf-32be') return decodeUtf32(bytes, encoding === 'utf-32le');
  if (encoding === 'iso-2022-kr') return decodeIso2022Kr(bytes);
  if (encoding === 'johab') return decodeJohab(bytes);
  return new TextDecoder(encoding).decode(bytes);
}

const chunkBytes = 8192;

function decodeCodePage(bytes: Uint8Array, high: string): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const codes = Array.from(bytes.subarray(at, at + chunkBytes), (byte) =>
      byte < 128 ? byte : high.charCodeAt(byte - 128),
    );
    text += String.fromCharCode(...codes);
  }
  return text;
}

function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = '';
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, littleEndian);
    if (at === 0 && code === 0xfeff) continue;
    text += code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
  }
  return text;
}

/** Source: RFC 1557. Between shift-out and shift-in are the characters of EUC-KR without their high bits. */
function decodeIso2022Kr(bytes: Uint8Array): string {
  const [escapeByte, shiftOut, shiftIn, lineFeed] = [0x1b, 0x0e, 0x0f, 0x0a];
  const converted: number[] = [];
  let isShifted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === escapeByte) at += 3;
    else if (byte === shiftOut) isShifted = true;
    else if (byte === shiftIn) isShifted = false;
    else {
      if (byte === lineFeed) isShifted = false;
      converted.push(isShifted && byte > 0x20 ? byte | 0x80 : byte);
    }
  }
  return new TextDecoder('euc-kr').decode(Uint8Array.from(converted));
}

/** Positions of the parts of a syllable in the codes of Johab. A blank stands for a code without a part. */
const initials = '  0123456789abcdefghi';
const medials = '   01234  56789a  bcdefg  hijk';
const finals = ' 0123456789abcdefg hijklmnopqr';
const partNumber = (parts: string, code: number): number => Number.parseInt(parts[code] ?? '', 36);
const firstSyllable = 0xac00;

/** Source: KS X 1001, annex 3. Syllables are composed of three parts. Other characters are those of EUC-KR, two rows to one byte. */
function decodeJohab(bytes: Uint8Array): string {
  const eucKr = new TextDecoder('euc-kr');
  let text = '';
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0;
    if (lead < 128) {
      text += String.fromCharCode(lead);
      continue;
    }
    at += 1;
    const trail = bytes[at] ?? 0;
    const code = lead * 256 + trail;
    const [initial, medial, final] = [
      partNumber(initials, (code >> 10) & 31),
      partNumber(medials, (code >> 5) & 31),
      partNumber(finals, code & 31),
    ];
    if (lead < 0xd8) {
      const syllable = firstSyllable + (initial * 21 + medial) * 28 + final;
      text += Number.isNaN(syllable) ? '\ufffd' : String.fromCharCode(syllable);
      continue;
    }
    const row = lead < 0xe0 ? 2 * (lead - 0xd9) : 2 * lead - 0x197;
    const cell = trail < 0x91 ? trail - 0x31 : trail - 0x43;
    const isSecondRow = cell >= 0x5e;
    const pair = [row + (isSecondRow ? 1 : 0) + 0xa1, cell - (isSecondRow ? 0x5e : 0) + 0xa1];
    text += eucKr.decode(Uint8Array.from(pair));
  }
  return text;
}

/** Characters 128 to 255 of encodings of DOS that `TextDecoder` does not know. */
const codePages = {
  ibm437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  ibm850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  ibm852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
  ibm855:
    'ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐└┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u00adыЫзЗшШэЭщЩчЧ§■\u00a0',
} as const;

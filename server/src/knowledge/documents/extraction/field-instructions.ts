/** Old versions of Word write furigana as a formula that puts the reading above the base text. */
const ruby = /^ *EQ\b.*\\o *(?:\\a[lcrd])? *\(.*\) *[,;]([^()]*)\) *$/is;
const button = /^ *MACROBUTTON +\S+ (.*)$/is;
const maxLength = 500;

/** Returns the text that a field shows without a stored result, as far as its instruction contains it. */
export function readInstruction(instruction: string): string {
  if (instruction.length > maxLength) return '';
  return (ruby.exec(instruction)?.[1] ?? button.exec(instruction)?.[1] ?? '').trim();
}

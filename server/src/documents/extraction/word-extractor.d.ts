/** The used part of word-extractor 1.0, which has no types. */
declare module 'word-extractor' {
  interface TextOptions {
    /** Replaces typographic quotes and dashes by ASCII unless false. */
    filterUnicode?: boolean;
  }
  interface WordDocument {
    getBody(options?: TextOptions): string;
    getFootnotes(options?: TextOptions): string;
    getEndnotes(options?: TextOptions): string;
    getTextboxes(options?: TextOptions & { includeHeadersAndFooters?: boolean }): string;
  }
  export default class WordExtractor {
    extract(source: Buffer): Promise<WordDocument>;
  }
}

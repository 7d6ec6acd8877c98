/** Runs work after the browser has painted the response to a click or a key, because the work would delay the paint. */
export const afterPaint = (work: () => void): void => {
  requestAnimationFrame(() => setTimeout(work));
};

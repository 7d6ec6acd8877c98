export interface PageAction {
  label: string;
  run: () => void;
}

/** The buttons and links that the open page marks as its actions, and that can be used now. */
export const readPageActions = (): PageAction[] =>
  [...document.querySelectorAll<HTMLElement>('[data-page-actions] :is(button, a[href])')]
    .filter(
      (element) =>
        element.checkVisibility() &&
        !element.matches(':disabled, [aria-disabled=true]') &&
        labelOf(element) !== '',
    )
    .map((element) => ({ label: labelOf(element), run: () => element.click() }));

const labelOf = (element: HTMLElement): string =>
  (element.getAttribute('aria-label') ?? element.textContent).trim();

/** The sign-in at the identity provider that began last: its state, and the page that it was for. */
const name = 'console-oidc';

/** What the provider appended to the address. Read before the router writes the address in its own way. */
export const given = new URLSearchParams(location.search);

export const begun = {
  /** Without a page, another tab waits for the session. */
  save(url: string, page: string | null): void {
    localStorage.setItem(name, `${new URL(url).searchParams.get('state') ?? ''} ${page ?? ''}`);
  },
  /** Returns the page to go to. Null: another tab has it. */
  pageOf(state: string): string | null {
    const [saved, page = ''] = (localStorage.getItem(name) ?? '').split(' ', 2);
    if (saved !== state) return '/console';
    return page === '' ? null : page;
  },
  /** Tells the other tabs. */
  end(): void {
    localStorage.removeItem(name);
  },
  /** Calls `listener` when another tab ended it. Returns a function that stops this. */
  onSignedIn(listener: () => void): () => void {
    const listen = (event: StorageEvent) => {
      if (event.key === name && event.newValue === null) listener();
    };
    addEventListener('storage', listen);
    return () => removeEventListener('storage', listen);
  },
};

import { ErrorNotice } from '../components/error-notice.tsx';

/** Shown when a page fails to render. */
export const ErrorPage = ({ error }: { error: unknown }) => (
  <div className="mx-auto max-w-2xl p-8">
    <ErrorNotice error={error} onRetry={() => location.reload()} />
  </div>
);

import { settings } from '../../app/settings.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { GuestPage } from './guest-page.tsx';
import { signInMessages } from './sign-in.messages.ts';
import { SignInForm } from './sign-in-form.tsx';
import { useSignInMeans } from './use-sign-in-means.ts';

export function SignInPage() {
  const t = useMessages(signInMessages);
  const means = useSignInMeans();
  return (
    <GuestPage
      title={t.title(settings.brand.name)}
      below={
        <div className="grid w-full max-w-sm gap-3 text-center text-muted text-[0.8125rem]">
          {means?.set_up === true && <p>{t.setUpHint('data/first-sign-in.txt')}</p>}
          <details>
            <summary className="cursor-pointer font-medium">{t.firstKey}</summary>
            <p className="mt-2">{t.firstKeyHint('data/first-api-key.json')}</p>
          </details>
        </div>
      }
    >
      <SignInForm />
    </GuestPage>
  );
}

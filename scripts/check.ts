import { runChecks } from './check/run-checks.ts';
import { installWhatsappPackage } from './whatsapp-package.ts';

process.exit((await runChecks(await installWhatsappPackage())) ? 0 : 1);

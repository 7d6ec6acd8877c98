import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

/** The address of the service that `npm run dev --workspace console` calls. */
const service = 'http://127.0.0.1:3000';

export default defineConfig({
  base: '/console/',
  plugins: [tailwindcss()],
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    license: { fileName: 'assets/licences.md' },
    reportCompressedSize: false,
    // Fonts and images as data: would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Browsers know no `use client`.
      checks: { moduleLevelDirective: false },
      output: {
        // A file for each shared module would be 60 requests before the first page.
        codeSplitting: {
          groups: [
            { name: 'vendor', test: /node_modules[\\/](?!jsqr)/, minShareCount: 2, priority: 2 },
            {
              name: 'shared',
              // Without what only pages after the sign-in need.
              test: /(console[\\/]src|sdk[\\/]src)[\\/](?!.*(use-edited|edit-notices|edits|data-table|team-picker|confirm-dialog|network|devices\.\w+|teams\.messages|plain-table|list-toolbar|search-input|upload|push-device|copy-text|live-feed|use-live-events|typing|use-contact-label|quotas\.messages|columns)\b)/,
              minShareCount: 4,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      '/api': service,
      '/simulator': service,
      '/console/brand.css': service,
      '/console/icon.svg': service,
    },
  },
});

/** What the page of the shop needs to show the chat, and where the simulated phone is. */
export interface ShopPage {
  baseUrl: string;
  siteKey: string;
  phoneUrl: string;
}

/** The website of the bike rental. Its last line is the one that a customer pastes. */
export const shopPage = ({ baseUrl, siteKey, phoneUrl }: ShopPage): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lumen Bikes</title>
<link rel="icon" href="data:,">
<style>
:root{color-scheme:light dark;font:17px/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:46rem;padding:2rem 1.25rem 7rem}
h1{line-height:1.1;font-size:2.4rem;margin:2rem 0 .5rem}
ul{list-style:none;padding:0;display:grid;gap:.75rem;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr))}
li{border:1px solid #8886;border-radius:.75rem;padding:1rem}
aside{border-left:.25rem solid #0b5cad;padding-left:1rem;margin-top:2.5rem}
</style>
<main>
<p>Lumen Bikes, Quay Street</p>
<h1>Rent a bike by the hour or for the weekend</h1>
<ul>
<li><strong>City bike</strong><br>With basket and lights</li>
<li><strong>Electric bike</strong><br>For the hills behind the harbour</li>
<li><strong>Child seat</strong><br>For every bike</li>
</ul>
<aside>
<p>This is a website of a demo. Its bot answers in the chat at the bottom of the page. Ask it:</p>
<p>“Do you lend helmets?”<br>“How much is the deposit for an electric bike?”<br>“What is the status of rental R-4711?”</p>
<p>The same bot answers on <a href="${escapeHtml(phoneUrl)}">a simulated phone</a>.</p>
</aside>
</main>
<script async src="${escapeHtml(baseUrl)}/widget.js" data-site="${escapeHtml(siteKey)}"></script>
</html>
`;

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

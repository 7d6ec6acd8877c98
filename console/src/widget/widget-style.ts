export const widgetStyle = `
:host{all:initial;--brand:#0b5cad;--on:#fff;--bg:#fff;--text:#1c2024;--muted:#5b6470;--line:#d6dae0;--theirs:#eef0f3;position:fixed;z-index:2147483000;right:16px;bottom:16px}
*{box-sizing:border-box;font:15px/1.4 system-ui,sans-serif}
[hidden]{display:none!important}
button{cursor:pointer;border:0;background:none;color:inherit;border-radius:8px;padding:8px}
:focus-visible{outline:3px solid var(--text);outline-offset:2px}
.launch{width:56px;height:56px;border-radius:28px;background:var(--brand);color:var(--on);box-shadow:0 4px 16px #0004;display:grid;place-items:center;position:relative}
.launch svg{width:26px;height:26px;fill:currentColor}
.badge{position:absolute;top:-4px;right:-4px;min-width:20px;padding:1px 5px;border-radius:10px;background:#b42318;color:#fff;font-size:12px}
.panel{position:absolute;right:0;bottom:72px;width:min(370px,calc(100vw - 32px));height:min(560px,calc(100vh - 104px));display:flex;flex-direction:column;background:var(--bg);color:var(--text);border:1px solid var(--line);border-radius:14px;overflow:hidden;box-shadow:0 10px 40px #0003}
header{display:flex;justify-content:space-between;align-items:center;gap:8px;padding:10px 8px 10px 16px;background:var(--brand);color:var(--on)}
header .head{flex:1;min-width:0}
.head-who{font-size:13px;display:flex;gap:6px;align-items:center;color:var(--on);overflow-wrap:anywhere}
.logo:empty{display:none}
.logo img{height:32px;max-width:96px;display:block;background:#fff;border-radius:6px;padding:2px}
.picture{display:inline-grid;place-items:center;width:24px;height:24px;border-radius:12px;overflow:hidden;background:var(--bg);color:var(--text);font-size:12px;flex:none;margin-right:6px;vertical-align:middle}
.picture img{width:100%;height:100%;object-fit:cover;border-radius:0}
h2{margin:0;font-size:16px;font-weight:600;overflow-wrap:anywhere}
.log{flex:1;overflow-y:auto;padding:14px;display:flex;flex-direction:column;gap:8px;overflow-anchor:none}
.m{max-width:85%;padding:8px 12px;border-radius:12px;background:var(--theirs);align-self:flex-start;white-space:pre-wrap;overflow-wrap:anywhere}
.m.own{background:var(--brand);color:var(--on);align-self:flex-end}
.m img{max-width:100%;border-radius:8px;display:block}
.m audio{max-width:100%}
.m a{color:inherit}
.who{display:block;font-size:12px;color:var(--muted)}
.own .who{color:inherit}
.state{font-size:12px;color:var(--muted);align-self:flex-end}
.state button{text-decoration:underline;padding:2px;font-size:12px}
.note{font-size:13px;color:var(--muted);padding:0 14px 6px}
form{display:flex;gap:4px;padding:8px;border-top:1px solid var(--line);align-items:flex-end}
.mail{flex-wrap:wrap}
.mail label{width:100%;font-size:13px}
textarea,input{flex:1;min-width:0;resize:none;border:1px solid var(--line);border-radius:8px;padding:8px;background:var(--bg);color:var(--text);max-height:120px}
::placeholder{color:var(--muted);opacity:1}
input[type=file]{display:none}
form svg{width:20px;height:20px;fill:none;stroke:currentColor;stroke-width:2;display:block}
.send{background:var(--brand);color:var(--on);padding:8px 12px}
@media (prefers-color-scheme:dark){:host{--bg:#16181c;--text:#eceef0;--muted:#a4acb8;--line:#3a3f47;--theirs:#262a31}}
@media (prefers-reduced-motion:no-preference){.panel{animation:in .15s ease-out}@keyframes in{from{transform:translateY(8px);opacity:0}}}
`;

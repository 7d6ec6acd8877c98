// `npm start` runs bin/start.js directly, because Node 20 cannot load TypeScript.
import '../../bin/start.js';

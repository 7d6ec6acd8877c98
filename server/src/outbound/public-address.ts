import ipaddr from 'ipaddr.js';

/** Global unicast, the only part of IPv6 that is given to hosts of the internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public by number, yet answered by the cloud's own host. */
const cloudHosts = new Set(['168.63.129.16']);

/**
 * Whether an address of the network (not a name) belongs to a host of the public internet. Everything that embeds another
 * address (mapped, 6to4, Teredo, NAT64) is not: whom it reaches is decided elsewhere.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || cloudHosts.has(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}

/** Whether two texts stand for the same address: IPv6 has many spellings. */
export function isSameAddress(a: string, b: string): boolean {
  return (
    ipaddr.isValid(a) && ipaddr.isValid(b) && ipaddr.process(a).toString() === ipaddr.process(b).toString()
  );
}

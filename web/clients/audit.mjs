// What graphql-http's audits of the GraphQL-over-HTTP standard say of the service: those
// that are not as they should be, and how many there are.
//
//	node audit.mjs ADDRESS
import { serverAudits } from "graphql-http";

const address = process.argv[2];
const fetchAs = (url, options = {}) => fetch(url, { ...options, headers: { "X-User-Id": "kim", ...options.headers } });
const audits = serverAudits({ url: `http://${address}/graphql`, fetchFn: fetchAs });
for (const audit of audits) {
  const result = await audit.fn();
  if (result.status !== "ok") console.log(result.status, result.id, result.name, result.reason);
}
console.log(audits.length, "audits");

// Lists in an address: "a,b". Commas inside an item are escaped, so that items may be lists themselves.

export function listOf(text: string | null): string[] {
  return text ? text.split(",").map((item) => item.replaceAll("%2C", ",").replaceAll("%25", "%")) : [];
}

export function listText(items: readonly string[]): string {
  return items.map((item) => item.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}

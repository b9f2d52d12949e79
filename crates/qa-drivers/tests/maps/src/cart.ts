/** What a cart costs; torn on purpose. */
export class Cart {
  private lines: { price?: { cents: number } }[] = [{}];

  total(): number {
    return this.lines.reduce((sum, line) => sum + priceOf(line), 0);
  }
}

function priceOf(line: { price?: { cents: number } }): number {
  if (!line.price) {
    throw new RangeError("a line has no price");
  }
  return line.price.cents;
}

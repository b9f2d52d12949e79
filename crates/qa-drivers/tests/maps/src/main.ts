import { Cart } from "./cart";

const showTotal = () => {
  const total = new Cart().total();
  document.title = String(total);
};

async function checkOut(): Promise<void> {
  await Promise.resolve();
  showTotal();
}

document.querySelector("#tap")!.addEventListener("click", showTotal);
document.querySelector("#later")!.addEventListener("click", () => void checkOut());

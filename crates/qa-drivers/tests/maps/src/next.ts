// The app after a change elsewhere: its shorter names are used by other functions now.
function greet(name: string): string {
  return `Hello, ${name}!`;
}

function shout(text: string): string {
  return text.toUpperCase();
}

console.log(shout(greet("tester")), greet(shout("tester")));
import "./main";

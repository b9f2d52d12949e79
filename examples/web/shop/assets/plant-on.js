// Served as /assets/plant.js when the shop runs with planted faults.
// Each hook is called by the shop at the place that faults.json names.

const faults = {
  'gift-wrap': function priceGiftWrap() {
    throw new TypeError('planted: the gift wrap has no price');
  },
  'helpful-vote': function countVote() {
    Promise.reject(new Error('planted: the vote was never counted'));
  },
  'render-preview': function renderPreview() {
    throw new RangeError('planted: the preview palette is empty');
  },
  // Bounded twice, because a page whose clock is held would never see the time pass.
  'compare-all': function compareForever() {
    const end = performance.now() + 20_000;
    for (let turn = 0; turn < 400_000_000 && performance.now() < end; turn += 1);
  },
  'reset-layout': function resetLayout() {
    document.body.replaceChildren();
    return 'blank';
  },
  'gift-message': function wrapGiftMessage() {
    throw new TypeError('planted: the gift message has no card');
  },
  'offers-visit': function greetReturningVisitor() {
    const visits = Number(sessionStorage.getItem('offers-visits') ?? 0) + 1;
    sessionStorage.setItem('offers-visits', String(visits));
    if (visits > 1) throw new Error('planted: a returning visitor has no greeting');
  },
  'refine-enter': function refineResults() {
    throw new SyntaxError('planted: the refinement cannot be parsed');
  },
  'clear-list': function restoreList() {
    throw new ReferenceError('planted: there is no list to restore');
  },
  'reserve-seat': function reserveSeat() {
    throw new Error('planted: the workshop has no seats');
  },
  'surprise-me': function pickSurprise() {
    throw new TypeError('planted: the surprise has no wrapping');
  },
  'attic-letter': function unfoldLetter() {
    throw new Error('planted: the attic letter is torn');
  },
  'refresh-points': function sumPoints() {
    throw new TypeError('planted: the points do not add up');
  },
  subscribe: function confirmSubscription() {
    throw new Error('planted: the subscription was not confirmed');
  },
  'delivery-note': function measureNote() {
    throw new RangeError('planted: the delivery note has no length');
  },
  // V8 ends the process when one array would need more elements than it can hold (about 130 MB, half a second).
  'view-model': function loadModel() {
    'a'.repeat(2 ** 27 + 1).split('');
  },
  'check-stock': function readStock() {
    console.error('planted: the stock list is out of date');
  },
  'back-side': function backSide() {
    return '/api/broken-image';
  },
};

/** Runs the fault planted at a place; its answer, if any, changes what the shop does next. */
export function plant(place) {
  return faults[place]();
}

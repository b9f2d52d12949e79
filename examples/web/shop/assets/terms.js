// The map's address comes from the server: with planted faults it is one that this document's policy forbids.
document.getElementById('store-map').addEventListener('click', async () => {
  const { image } = await (await fetch('/api/store-map')).json();
  const map = document.createElement('img');
  map.alt = 'Map of the store';
  map.width = 200;
  map.src = image;
  document.getElementById('map').replaceChildren(map);
});

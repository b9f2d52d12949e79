//! Where the pages stand on the map: columns by distance from the start, few crossings.

use std::collections::VecDeque;

/// A column with more pages than this becomes several.
const ROWS: usize = 6;
const SWEEPS: usize = 8;

/// The place of a page: column and row, from the upper left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) column: usize,
    pub(crate) row: usize,
    /// Pages in the same column.
    pub(crate) rows: usize,
}

/// Places `count` pages that `edges` join. The same input gives the same places.
pub(crate) fn places(count: usize, edges: &[(usize, usize)], start: usize) -> Vec<Place> {
    let mut layers = layers(count, edges, start);
    let mut neighbours = vec![Vec::new(); count];
    for &(from, to) in edges.iter().filter(|(from, to)| from != to) {
        neighbours[from].push(to);
        neighbours[to].push(from);
    }
    for sweep in 0..SWEEPS {
        let order: Vec<usize> = if sweep % 2 == 0 {
            (1..layers.len()).collect()
        } else {
            (0..layers.len().saturating_sub(1)).rev().collect()
        };
        for layer in order {
            let beside = if sweep % 2 == 0 { layer - 1 } else { layer + 1 };
            let fixed = positions(count, &layers[beside]);
            let own = positions(count, &layers[layer]);
            let weight = |page: &usize| {
                let near = neighbours[*page].iter().filter_map(|other| fixed[*other]);
                let (sum, number) = near.fold((0.0, 0.0), |(sum, n), at| (sum + at, n + 1.0));
                if number > 0.0 {
                    sum / number
                } else {
                    own[*page].unwrap_or(0.5)
                }
            };
            // The sort is stable, so equal weights keep their order.
            layers[layer].sort_by(|one, other| weight(one).total_cmp(&weight(other)));
        }
    }
    let mut places = vec![
        Place {
            column: 0,
            row: 0,
            rows: 1
        };
        count
    ];
    let mut column = 0;
    for layer in layers {
        let columns = layer.len().div_ceil(ROWS).max(1);
        let share = layer.len().div_ceil(columns).max(1);
        for pages in layer.chunks(share) {
            for (row, page) in pages.iter().enumerate() {
                places[*page] = Place {
                    column,
                    row,
                    rows: pages.len(),
                };
            }
            column += 1;
        }
    }
    places
}

/// Pages by their distance from the start; what no way leads to comes last.
fn layers(count: usize, edges: &[(usize, usize)], start: usize) -> Vec<Vec<usize>> {
    let mut next = vec![Vec::new(); count];
    for &(from, to) in edges {
        next[from].push(to);
    }
    let mut distance: Vec<Option<usize>> = vec![None; count];
    let mut queue = VecDeque::new();
    let mut layers: Vec<Vec<usize>> = Vec::new();
    if start < count {
        distance[start] = Some(0);
        queue.push_back((start, 0));
    }
    while let Some((page, far)) = queue.pop_front() {
        if layers.len() <= far {
            layers.push(Vec::new());
        }
        layers[far].push(page);
        for &other in &next[page] {
            if distance[other].is_none() {
                distance[other] = Some(far + 1);
                queue.push_back((other, far + 1));
            }
        }
    }
    let apart: Vec<usize> = (0..count)
        .filter(|page| distance[*page].is_none())
        .collect();
    if !apart.is_empty() {
        layers.push(apart);
    }
    layers
}

/// The place of each page of a layer, from 0 to 1; none for other pages.
fn positions(count: usize, layer: &[usize]) -> Vec<Option<f64>> {
    let mut positions = vec![None; count];
    for (row, page) in layer.iter().enumerate() {
        positions[*page] = Some((row as f64 + 0.5) / layer.len() as f64);
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn distance_from_the_start_is_the_column() {
        let found = places(4, &[(0, 1), (1, 2), (2, 0), (0, 2)], 0);
        let columns: Vec<_> = found.iter().map(|place| place.column).collect();
        assert_eq!(columns, [0, 1, 1, 2]);
    }

    #[test]
    fn ways_do_not_cross_where_they_need_not() {
        // 0 leads to 1 and 2; they lead to 4 and 3: the second layer is turned round.
        let found = places(5, &[(0, 1), (0, 2), (1, 4), (2, 3)], 0);
        assert_eq!(found[1].row < found[2].row, found[4].row < found[3].row);
    }

    proptest! {
        #[test]
        fn no_two_pages_share_a_place(
            (count, edges, start) in (1..40_usize).prop_flat_map(|count| {
                let edges = prop::collection::vec((0..count, 0..count), 0..80);
                (Just(count), edges, 0..count)
            })
        ) {
            let found = places(count, &edges, start);
            let taken: HashSet<_> = found.iter().map(|place| (place.column, place.row)).collect();
            prop_assert_eq!(taken.len(), count);
            prop_assert!(found.iter().all(|place| place.row < place.rows && place.rows <= ROWS));
            prop_assert_eq!(found, places(count, &edges, start));
        }
    }
}

//! Charts as SVG, with a title, a unit, a text alternative and the figures behind a button.

use maud::{Markup, PreEscaped, html};

/// A course of figures.
#[derive(Clone, Debug, Default)]
pub struct Chart<'a> {
    pub title: &'a str,
    /// Of the figures, such as `points` or `ms`.
    pub unit: &'a str,
    /// What the figures belong to, and the figures; `None` where there is none, which leaves a gap.
    pub values: Vec<(String, Option<f64>)>,
    /// The highest figure that is shown; otherwise the highest that there is.
    pub most: Option<f64>,
}

/// A line from the oldest value to the newest.
pub fn line(chart: &Chart<'_>) -> Markup {
    let (top, last) = (chart.top(), chart.values.len().saturating_sub(1).max(1));
    let point = |number: usize, value: f64| {
        (
            scale(number, last, WIDTH - 2.0 * PAD) + PAD,
            HEIGHT - PAD - value / top * (HEIGHT - 2.0 * PAD),
        )
    };
    let (mut path, mut pen_is_down) = (String::new(), false);
    for (number, (_, value)) in chart.values.iter().enumerate() {
        let Some(value) = value else {
            pen_is_down = false;
            continue;
        };
        let (x, y) = point(number, *value);
        let pen = if pen_is_down { "L" } else { "M" };
        path.extend([pen.to_owned(), format!("{x:.1} {y:.1}")]);
        pen_is_down = true;
    }
    let newest = chart
        .values
        .iter()
        .enumerate()
        .rev()
        .find_map(|(at, (_, value))| Some(point(at, (*value)?)));
    chart.frame(&html! {
        path.line d=(path) fill="none" {}
        @if let Some((x, y)) = newest { path.dot d={ "M" (format!("{x:.1} {y:.1}")) "h0" } {} }
    })
}

/// A bar for each value.
pub fn bars(chart: &Chart<'_>) -> Markup {
    let (top, count) = (chart.top(), chart.values.len().max(1));
    let step = scale(1, count, WIDTH - 2.0 * PAD);
    chart.frame(&html! {
        @for (number, (label, value)) in chart.values.iter().enumerate() {
            @if let Some(value) = value {
                @let height = value / top * (HEIGHT - 2.0 * PAD);
                rect.bar-of x=(format!("{:.1}", PAD + scale(number, count, WIDTH - 2.0 * PAD)))
                    y=(format!("{:.1}", HEIGHT - PAD - height)) width=(format!("{:.1}", (step * 0.8).max(1.0)))
                    height=(format!("{height:.1}")) { title { (label) ": " (figure(*value)) " " (chart.unit) } }
            }
        }
    })
}

impl Chart<'_> {
    fn top(&self) -> f64 {
        let highest = self.values.iter().filter_map(|(_, value)| *value).fold(0.0, f64::max);
        let top = self.most.unwrap_or(highest);
        if top > 0.0 { top } else { 1.0 }
    }

    /// What a person sees in it, in words.
    fn words(&self) -> String {
        let known: Vec<_> =
            self.values.iter().filter_map(|(label, value)| Some((label, (*value)?))).collect();
        let (Some((first, from)), Some((last, to))) = (known.first(), known.last()) else {
            return "no figures yet".to_owned();
        };
        let lowest = known.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
        let highest = known.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
        format!(
            "from {} ({first}) to {} ({last}), between {} and {} {}",
            figure(*from),
            figure(*to),
            figure(lowest),
            figure(highest),
            self.unit
        )
    }

    fn frame(&self, drawn: &Markup) -> Markup {
        html! {
            figure.chart {
                figcaption {
                    span { (self.title) " " span.muted { (self.unit) } }
                    span.muted { "0 to " (figure(self.top())) }
                }
                svg role="img" aria-label={ (self.title) ": " (self.words()) } viewBox={ "0 0 " (WIDTH) " " (HEIGHT) }
                    preserveAspectRatio="none" {
                    line.axis x1=(PAD) x2=(WIDTH - PAD) y1=(HEIGHT - PAD) y2=(HEIGHT - PAD) {}
                    (PreEscaped(&drawn.0))
                }
                details {
                    summary { "Figures" }
                    table {
                        thead { tr { th scope="col" { "when" } th.figures scope="col" { (self.unit) } } }
                        tbody {
                            @for (label, value) in &self.values {
                                tr { td { (label) } td.figures { (value.map_or_else(|| "none".to_owned(), figure)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn figure(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

#[expect(clippy::cast_precision_loss, reason = "places on a screen")]
fn scale(number: usize, of: usize, width: f64) -> f64 {
    number as f64 / of as f64 * width
}

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 96.0;
const PAD: f64 = 8.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_lifts_the_pen_and_the_words_name_both_ends() {
        let values =
            vec![("mon".into(), Some(90.0)), ("tue".into(), None), ("wed".into(), Some(97.5))];
        let chart = Chart { title: "Score", unit: "points", values, most: Some(100.0) };
        let text = line(&chart).into_string();
        assert!(text.contains("d=\"M8.0 16.0M312.0 10.0\""), "{text}");
        assert!(
            text.contains("Score: from 90 (mon) to 97.5 (wed), between 90 and 97.5 points"),
            "{text}"
        );
        assert!(text.contains("<td class=\"figures\">none</td>"), "{text}");
    }

    #[test]
    fn no_value_and_only_zeros_are_no_division_by_zero() {
        for values in [Vec::new(), vec![("a".to_owned(), Some(0.0))]] {
            let chart = Chart { title: "<b>", unit: "ms", values, most: None };
            for text in [line(&chart).into_string(), bars(&chart).into_string()] {
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
                assert!(!text.contains("<b>"), "{text}");
            }
        }
    }
}

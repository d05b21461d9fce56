//! Tables that become lists of cards on narrow screens.

use maud::{Markup, html};

/// Rows and columns. Each row has as many cells as there are columns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What the table is, for those who do not see it.
    pub caption: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Markup>>,
}

#[derive(Clone, Debug)]
pub struct Column {
    pub title: &'static str,
    pub align: Align,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// Figures, in digits of one width.
    Figures,
    #[default]
    Text,
}

impl Column {
    pub fn text(title: &'static str) -> Self {
        Self { title, align: Align::Text }
    }

    pub fn figures(title: &'static str) -> Self {
        Self { title, align: Align::Figures }
    }

    fn class(&self) -> Option<&'static str> {
        (self.align == Align::Figures).then_some("figures")
    }
}

impl Table {
    pub fn render(&self) -> Markup {
        html! {
            table.cards {
                caption.unseen { (self.caption) }
                thead {
                    tr { @for column in &self.columns { th scope="col" class=[column.class()] { (column.title) } } }
                }
                tbody {
                    @for row in &self.rows {
                        tr data-row="" {
                            @for (column, cell) in self.columns.iter().zip(row) {
                                td data-label=(column.title) class=[column.class()] { (cell) }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_knows_its_column() {
        let table = Table {
            caption: "servers".into(),
            columns: vec![Column::text("name"), Column::figures("score")],
            rows: vec![vec![html! { "a<b" }, html! { (7) }]],
        };
        let text = table.render().into_string();
        assert!(text.contains(r#"<td data-label="name">a&lt;b</td>"#), "{text}");
        assert!(
            text.contains(r#"<td class="figures" data-label="score">7</td>"#)
                || text.contains(r#"<td data-label="score" class="figures">7</td>"#),
            "{text}"
        );
    }
}

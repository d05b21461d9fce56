//! What goes wrong on request, and how long answers take.

use std::{str::FromStr, time::Duration};

use crate::{file::duration, random::Random};

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The connection ends instead.
    Close,
    /// It never comes.
    Drop,
    /// It is an internal error.
    Error,
    /// Something comes that is no JSON.
    Garbage,
}

impl Fault {
    pub const ALL: [Self; 4] = [Self::Close, Self::Drop, Self::Error, Self::Garbage];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Close => "close",
            Self::Drop => "drop",
            Self::Error => "error",
            Self::Garbage => "garbage",
        }
    }

    pub(super) fn told(self) -> &'static str {
        match self {
            Self::Close => "the connection is closed on request",
            Self::Drop => "the answer is left out on request",
            Self::Error => "answered with an internal error on request",
            Self::Garbage => "answered with garbage on request",
        }
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|it| it.as_str() == text);
        found.ok_or_else(|| format!("{text:?} is no fault: close, drop, error and garbage are"))
    }
}

/// Faults with the share of requests that each befalls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults(pub Vec<(Fault, f64)>);

impl Faults {
    pub(super) fn draw(&self, random: &mut Random) -> Option<Fault> {
        let hit = |(_, share): &&(Fault, f64)| drawn(random) < *share;
        self.0.iter().find(hit).map(|(fault, _)| *fault)
    }

    /// `drop`, or `drop=0.1` for a tenth of the requests.
    pub fn parse(text: &str) -> Result<(Fault, f64), String> {
        let (kind, share) = text.split_once('=').unwrap_or((text, "1"));
        let share = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        Ok((kind.parse()?, share.ok_or("a share is a number from 0 to 1")?))
    }
}

/// How long answers take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latency {
    pub least: Duration,
    pub most: Duration,
}

impl Latency {
    pub(super) fn draw(self, random: &mut Random) -> Duration {
        let between = self.most.saturating_sub(self.least);
        self.least + between.mul_f64(drawn(random))
    }
}

impl FromStr for Latency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let time = |text: &str| {
            duration(text).filter(|it| *it <= MOST).ok_or_else(|| {
                format!("{text:?} is no time such as 200ms or 1s, of an hour at the most")
            })
        };
        let (least, most) = (time(least)?, time(most)?);
        if least > most {
            return Err(format!("{text:?} ends before it begins"));
        }
        Ok(Self { least, most })
    }
}

/// From 0 up to, but not including, 1.
fn drawn(random: &mut Random) -> f64 {
    let share = u32::try_from(random.number() >> 32).unwrap_or(u32::MAX);
    f64::from(share) / (f64::from(u32::MAX) + 1.0)
}

const MOST: Duration = Duration::from_secs(3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_and_faults_are_read_and_drawn() {
        let latency: Latency = "100ms..1s".parse().unwrap();
        let mut random = Random::new(3);
        for _ in 0..100 {
            let drawn = latency.draw(&mut random);
            assert!(drawn >= Duration::from_millis(100) && drawn < Duration::from_secs(1));
        }
        assert!("1s..100ms".parse::<Latency>().is_err());
        assert!("soon".parse::<Latency>().is_err());
        let faults = Faults(vec![Faults::parse("drop=0.25").unwrap()]);
        let hit = (0..1000).filter(|_| faults.draw(&mut random).is_some()).count();
        assert!((150..350).contains(&hit), "{hit}");
        assert_eq!(Faults::parse("close"), Ok((Fault::Close, 1.0)));
        for wrong in ["explode", "drop=2", "drop=x", "drop=NaN"] {
            assert!(Faults::parse(wrong).is_err(), "{wrong}");
        }
    }
}

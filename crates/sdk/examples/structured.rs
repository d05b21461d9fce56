//! Results that are values of Rust types: the output schema follows from the type, and a client reads the value back.

use proofmark_sdk::{
    server::{BuildError, Error, Json, Server},
    transport::{LineSettings, serve_stdio},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Place {
    city: String,
    unit: Option<Unit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Weather {
    degrees: f64,
    unit: Unit,
}

async fn weather(Place { city, unit }: Place) -> Result<Json<Weather>, Error> {
    let celsius = match &*city {
        "Oslo" => 5.0,
        "Cairo" => 30.0,
        _ => return Err(Error::text(format!("nothing is known of {city}"))),
    };
    Ok(Json(match unit.unwrap_or(Unit::Celsius) {
        Unit::Celsius => Weather { degrees: celsius, unit: Unit::Celsius },
        Unit::Fahrenheit => Weather { degrees: celsius * 1.8 + 32.0, unit: Unit::Fahrenheit },
    }))
}

fn server() -> Result<Server, BuildError> {
    Server::builder("weather", "1.0.0").tool("weather", "The weather in a city", weather).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(serve_stdio(&server()?, LineSettings::default()).await?)
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::client::Client;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_client_gets_a_value() -> Result<(), Box<dyn std::error::Error>> {
        let client = Client::in_memory(&server()?).await?;
        assert!(client.all_tools().await?[0].output_schema.is_some());
        let oslo = Place { city: "Oslo".into(), unit: Some(Unit::Fahrenheit) };
        let weather: Weather = client.call("weather", oslo).await?;
        assert_eq!(weather, Weather { degrees: 41.0, unit: Unit::Fahrenheit });
        let nowhere = Place { city: "Nowhere".into(), unit: None };
        let failed = client.call::<Weather>("weather", nowhere).await.unwrap_err();
        assert_eq!(failed.to_string(), "`weather` failed: nothing is known of Nowhere");
        Ok(())
    }

    #[tokio::test]
    async fn a_model_is_told_all_that_is_wrong() -> Result<(), Box<dyn std::error::Error>> {
        let client = Client::in_memory(&server()?).await?;
        let wrong = client.call::<Weather>("weather", json!({"city": 1, "unit": "kelvin"})).await;
        let wrong = wrong.unwrap_err().to_string();
        assert!(wrong.contains("/city") && wrong.contains("/unit"), "{wrong}");
        assert!(wrong.contains("celsius") && !wrong.contains("null"), "{wrong}");
        Ok(())
    }
}

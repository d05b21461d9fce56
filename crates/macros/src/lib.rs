//! Attributes for servers of `proofmark-sdk`: sugar over its builder. They are used, and explained, as `proofmark_sdk::macros` (feature `macros`).

mod entry;
mod impl_block;
mod options;

use proc_macro::TokenStream;
use syn::parse_macro_input;

use self::{entry::Kind, options::Options};

/// Makes a tool of an async function. See `proofmark_sdk::macros`.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    function(Kind::Tool, options, item)
}

/// Makes a resource, or a template of resources, of an async function. See `proofmark_sdk::macros`.
#[proc_macro_attribute]
pub fn resource(options: TokenStream, item: TokenStream) -> TokenStream {
    function(Kind::Resource, options, item)
}

/// Makes a prompt of an async function. See `proofmark_sdk::macros`.
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, item: TokenStream) -> TokenStream {
    function(Kind::Prompt, options, item)
}

/// Makes a server of the methods of an `impl` block. See `proofmark_sdk::macros`.
#[proc_macro_attribute]
pub fn server(options: TokenStream, item: TokenStream) -> TokenStream {
    let options = parse_macro_input!(options as Options);
    let block = parse_macro_input!(item as syn::ItemImpl);
    impl_block::expand(&options, block).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn function(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let options = parse_macro_input!(options as Options);
    let function = parse_macro_input!(item as syn::ItemFn);
    entry::expand(kind, &options, &function).unwrap_or_else(syn::Error::into_compile_error).into()
}

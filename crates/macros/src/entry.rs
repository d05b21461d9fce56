//! From a function to the entry that a builder takes.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Error, Ident, ItemFn, LitStr, Result, Signature};

use crate::options::{Options, description};

/// What a function is made into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Prompt,
    Resource,
    Tool,
}

/// How an entry is called and made.
pub(crate) struct Entry {
    /// Its type.
    pub(crate) returned: TokenStream,
    /// The builder's method that takes it.
    pub(crate) add: Ident,
    /// The expression that makes it from a handler.
    pub(crate) make: Box<dyn Fn(TokenStream) -> TokenStream>,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Prompt, Self::Resource, Self::Tool];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Tool => "tool",
        }
    }
}

/// The function as it is, and beside it the one that gives its entry.
pub(crate) fn expand(kind: Kind, options: &Options, function: &ItemFn) -> Result<TokenStream> {
    if let Some(receiver) = function.sig.receiver() {
        let message = format!(
            "methods are made {}s by `#[server]` on their `impl` block, which this one lacks",
            kind.name()
        );
        return Err(Error::new_spanned(receiver, message));
    }
    if function.sig.asyncness.is_none() {
        let message = format!("a {} is an `async fn`", kind.name());
        return Err(Error::new_spanned(function.sig.fn_token, message));
    }
    let name = &function.sig.ident;
    let Entry { returned, make, .. } = of(kind, options, &function.sig, &function.attrs)?;
    let made = make(name.to_token_stream());
    let beside = format_ident!("{name}_{}", kind.name());
    let visibility = &function.vis;
    let documentation = format!("[`{name}`] as a {} of a server.", kind.name());
    Ok(quote! {
        #function

        #[doc = #documentation]
        #visibility fn #beside() -> #returned {
            #made
        }
    })
}

/// The entry of a function, by its name, its documentation and its options.
pub(crate) fn of(
    kind: Kind,
    options: &Options,
    signature: &Signature,
    attributes: &[Attribute],
) -> Result<Entry> {
    let own_name = signature.ident.to_string();
    let own_name = LitStr::new(&own_name, signature.ident.span());
    let name = options.text("name").unwrap_or(&own_name).clone();
    let mut said = TokenStream::new();
    if let Some(text) = description(options, attributes) {
        said.extend(quote!(.description(#text)));
    }
    for option in ["title", "hidden_without"] {
        if let Some(text) = options.text(option) {
            let method = Ident::new(option, text.span());
            said.extend(quote!(.#method(#text)));
        }
    }
    match kind {
        Kind::Prompt => {
            options.check(&["name", "title", "description", "hidden_without"], &[])?;
            Ok(Entry {
                returned: quote!(::proofmark_sdk::server::PromptEntry),
                add: format_ident!("add_prompt"),
                make: Box::new(
                    move |handler| quote!(::proofmark_sdk::server::prompt(#name) #said .get(#handler)),
                ),
            })
        }
        Kind::Resource => resource(options, signature, &name, said),
        Kind::Tool => tool(options, name, said),
    }
}

fn tool(options: &Options, name: LitStr, mut said: TokenStream) -> Result<Entry> {
    let hints = ["read_only", "destructive", "idempotent", "open_world"];
    let words = ["read_only", "destructive", "idempotent", "open_world", "task"];
    options.check(&["name", "title", "description", "hidden_without"], &words)?;
    for hint in hints.into_iter().filter(|hint| options.word(hint)) {
        let method = format_ident!("{hint}");
        said.extend(quote!(.#method()));
    }
    if options.word("task") {
        said.extend(quote!(.task(::proofmark_sdk::core::types::TaskSupport::Optional)));
    }
    Ok(Entry {
        returned: quote!(::proofmark_sdk::server::ToolEntry),
        add: format_ident!("add_tool"),
        make: Box::new(
            move |handler| quote!(::proofmark_sdk::server::tool(#name) #said .handler(#handler)),
        ),
    })
}

fn resource(
    options: &Options,
    signature: &Signature,
    name: &LitStr,
    mut said: TokenStream,
) -> Result<Entry> {
    let texts = ["uri", "name", "title", "description", "mime_type", "hidden_without"];
    options.check(&texts, &[])?;
    let Some(uri) = options.text("uri").cloned() else {
        let message = "a resource has a URI: `#[resource(uri = \"notes://today\")]`";
        return Err(Error::new_spanned(&signature.ident, message));
    };
    if let Some(text) = options.text("mime_type") {
        said.extend(quote!(.mime_type(#text)));
    }
    let (entry, begin, add) = if uri.value().contains('{') {
        ("TemplateEntry", "resource_template", "add_template")
    } else {
        ("ResourceEntry", "resource", "add_resource")
    };
    let (entry, begin) = (format_ident!("{entry}"), format_ident!("{begin}"));
    let name = name.clone();
    Ok(Entry {
        returned: quote!(::proofmark_sdk::server::#entry),
        add: format_ident!("{add}"),
        make: Box::new(
            move |handler| quote!(::proofmark_sdk::server::#begin(#uri, #name) #said .read(#handler)),
        ),
    })
}

//! From an `impl` block to a server whose state is the value.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Error, FnArg, ImplItem, ImplItemFn, ItemImpl, Result, Type};

use crate::{
    entry::{self, Entry, Kind},
    options::Options,
};

/// The block without the attributes, and beside it what builds the server.
pub(crate) fn expand(options: &Options, mut block: ItemImpl) -> Result<TokenStream> {
    options.check(&["name", "version", "title", "description", "instructions"], &[])?;
    if let Some((_, path, _)) = &block.trait_ {
        let message = "`#[server]` stands on an `impl` block of a type, not of a trait";
        return Err(Error::new_spanned(path, message));
    }
    if !block.generics.params.is_empty() {
        let message = "a server's state is one type: this block has parameters";
        return Err(Error::new_spanned(&block.generics, message));
    }
    let state = (*block.self_ty).clone();
    let mut entries = TokenStream::new();
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item
            && let Some((kind, attribute)) = take(&mut method.attrs)
        {
            entries.extend(entry(kind, &Options::of(&attribute)?, method, &state)?);
        }
    }
    if entries.is_empty() {
        let message = "no method has `#[tool]`, `#[resource]` or `#[prompt]`";
        return Err(Error::new_spanned(&block.self_ty, message));
    }
    let builder = begin(options, &state)?;
    Ok(quote! {
        #block

        impl #state {
            /// All that the methods are, in a builder that more can be added to.
            pub fn into_builder(self) -> ::proofmark_sdk::server::ServerBuilder {
                #builder .state(self) #entries
            }

            /// The server.
            pub fn into_server(
                self,
            ) -> ::core::result::Result<
                ::proofmark_sdk::server::Server,
                ::proofmark_sdk::server::BuildError,
            > {
                self.into_builder().build()
            }
        }
    })
}

/// The attribute that says what a method is, taken off it.
fn take(attributes: &mut Vec<Attribute>) -> Option<(Kind, Attribute)> {
    let kind_of = |attribute: &Attribute| {
        let last = attribute.path().segments.last()?;
        Kind::ALL.into_iter().find(|kind| last.ident == kind.name())
    };
    let at = attributes.iter().position(|attribute| kind_of(attribute).is_some())?;
    let attribute = attributes.remove(at);
    Some((kind_of(&attribute)?, attribute))
}

fn begin(options: &Options, state: &Type) -> Result<TokenStream> {
    let own_version = || quote!(::core::env!("CARGO_PKG_VERSION"));
    let version = options.text("version").map_or_else(own_version, |version| quote!(#version));
    let Some(name) = options.text("name") else {
        let message = "a server has a name: `#[server(name = \"notes\")]`";
        return Err(Error::new_spanned(state, message));
    };
    let mut builder = quote!(::proofmark_sdk::server::Server::builder(#name, #version));
    for option in ["title", "description", "instructions"] {
        if let Some(text) = options.text(option) {
            let method = format_ident!("{option}");
            builder.extend(quote!(.#method(#text)));
        }
    }
    Ok(builder)
}

/// Adds one method. Its handler takes the state, and what the method takes.
fn entry(kind: Kind, options: &Options, method: &ImplItemFn, state: &Type) -> Result<TokenStream> {
    let signature = &method.sig;
    let Entry { add, make, .. } = entry::of(kind, options, signature, &method.attrs)?;
    let name = &signature.ident;
    let mut names = Vec::new();
    let mut types = Vec::new();
    let mut has_self = false;
    for (at, input) in signature.inputs.iter().enumerate() {
        match input {
            FnArg::Receiver(receiver)
                if receiver.reference.is_some() && receiver.mutability.is_none() =>
            {
                has_self = true;
            }
            FnArg::Receiver(receiver) => {
                let message = "calls run at the same time: take `&self`, and put what changes \
                               into a `Mutex` or an atomic";
                return Err(Error::new_spanned(receiver, message));
            }
            FnArg::Typed(parameter) => {
                names.push(format_ident!("parameter_{at}"));
                types.push(&parameter.ty);
            }
        }
    }
    // A method that waits for nothing need not be `async`.
    let wait = signature.asyncness.map(|_| quote!(.await));
    let handler = if has_self {
        quote! {
            async |state: ::proofmark_sdk::server::State<#state>, #(#names: #types),*| {
                <#state>::#name(&state, #(#names),*) #wait
            }
        }
    } else {
        quote!(async |#(#names: #types),*| <#state>::#name(#(#names),*) #wait)
    };
    let entry = make(handler);
    Ok(quote!(.#add(#entry)))
}

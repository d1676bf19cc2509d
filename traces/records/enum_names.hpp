#pragma once

/// \file Name tables of enumerations, shared by printing and parsing.

#include "traces/errors/contracts.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/errors/known_names.hpp"

#include <span>
#include <string>
#include <string_view>

namespace keyswap {

/// One accepted spelling of an enumerator; the first one in the table is printed.
template <class Enum>
struct EnumName {
    std::string_view text;
    Enum value;
};

template <class Enum>
std::string_view name_of(std::span<EnumName<Enum> const> names, Enum value) {
    for (auto const& name : names) {
        if (name.value == value) {
            return name.text;
        }
    }
    bool const every_enumerator_has_a_name = false;
    KEYSWAP_ENSURES(every_enumerator_has_a_name);
    return {};
}

template <class Enum>
Expected<Enum>
parse(std::span<EnumName<Enum> const> names, std::string_view text, std::string_view what) {
    for (auto const& name : names) {
        if (name.text == text) {
            return name.value;
        }
    }
    KnownNames known;
    for (auto const& name : names) {
        if (name_of(names, name.value) == name.text) {
            known.add(name.text);
        }
    }
    return known.not_known(std::string(what), text);
}

} // namespace keyswap

#pragma once

/// \file Converts results to JSON. The fields of a result are listed once, by result_fields(record,
/// field) in this namespace (found by argument-dependent lookup through `field`); `document` visits
/// the list. Text and pages are generated from the same struct.

#include "tools/text/json.hpp"
#include "traces/records/bucket_prefix.hpp"

#include <concepts>
#include <filesystem>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace keyswap::tools {

template <class Value>
[[nodiscard]] Json document(Value const& value);

/// Collects fields in the order in which they are visited.
class DocumentFields {
  public:
    /// Adds a field; nullopt becomes null.
    void operator()(char const* name, auto const& value) { json_[name] = document(value); }
    /// Adds a field, or omits it if it is nullopt.
    void if_any(char const* name, auto const& optional) {
        if (optional) {
            json_[name] = document(*optional);
        }
    }
    /// Adds the fields of a nested record to this one.
    void all_of(auto const& record) { json_.update(document(record)); }

    [[nodiscard]] Json take() { return std::move(json_); }

  private:
    Json json_ = Json::object();
};

template <class Record>
concept ListsFields = requires(Record const& record, DocumentFields& field) {
    result_fields(record, field);
};

/// Converts a record to an object, a range to an array, an enumerator to its name, nullopt to null.
template <class Value>
Json document(Value const& value) {
    if constexpr (ListsFields<Value>) {
        DocumentFields fields;
        result_fields(value, fields);
        return fields.take();
    } else if constexpr (std::is_enum_v<Value>) {
        return std::string(to_string(value));
    } else if constexpr (std::same_as<Value, GpuId>) {
        return value.value;
    } else if constexpr (std::same_as<Value, std::filesystem::path>) {
        return value.string();
    } else if constexpr (requires { value.has_value(); }) {
        return value ? document(*value) : Json();
    } else if constexpr (std::same_as<Value, Json> ||
                         std::convertible_to<Value, std::string_view> ||
                         !std::ranges::range<Value> || requires { typename Value::mapped_type; }) {
        return value;
    } else {
        Json array = Json::array();
        for (auto const& each : value) {
            array.push_back(document(each));
        }
        return array;
    }
}

} // namespace keyswap::tools

#pragma once

#include <nlohmann/json.hpp>

#include <functional>

namespace keyswap::tools {

/// JSON whose objects preserve the insertion order of their fields.
using Json = nlohmann::ordered_json;

/// JSON array of the results of `element` for each item of a range.
template <class Range, class Element>
[[nodiscard]] Json json_array(Range const& range, Element const& element) {
    Json array = Json::array();
    for (auto const& each : range) {
        array.push_back(std::invoke(element, each));
    }
    return array;
}

} // namespace keyswap::tools

#pragma once

/// \file Fields of runs of third-party sorts, for --json.

#include "tools/record/shrunk_failure.hpp"
#include "tools/record/third_party_check.hpp"
#include "tools/text/document.hpp"

namespace keyswap::tools {

void result_fields(conformance::WrongPlace const& place, auto& field) {
    field("index", place.index);
    field("found", place.found);
    field("expected", place.expected);
}

void result_fields(conformance::WrongPlaces const& places, auto& field) {
    field("count", places.count);
    field("first", places.first);
}

void result_fields(conformance::RunTimes const& times, auto& field) {
    auto const ms = [](std::chrono::nanoseconds time) {
        return std::chrono::duration<double, std::milli>(time).count();
    };
    field("least", ms(times.least));
    field("median", ms(times.median));
    field("most", ms(times.most));
}

} // namespace keyswap::tools

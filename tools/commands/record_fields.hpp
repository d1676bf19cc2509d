#pragma once

/// \file The fields of runs of foreign sorts, for --json.

#include "tools/record/foreign_check.hpp"
#include "tools/record/shrunk_failure.hpp"
#include "tools/text/document.hpp"

namespace keyswap::tools {

template <>
struct ResultFields<model::verify::WrongPlace> {
    static void list(model::verify::WrongPlace const& place, auto& field) {
        field("index", place.index);
        field("found", place.found);
        field("expected", place.expected);
    }
};

template <>
struct ResultFields<model::verify::WrongPlaces> {
    static void list(model::verify::WrongPlaces const& places, auto& field) {
        field("count", places.count);
        field("first", places.first);
    }
};

template <>
struct ResultFields<model::verify::RunTimes> {
    static void list(model::verify::RunTimes const& times, auto& field) {
        auto const ms = [](std::chrono::nanoseconds time) {
            return std::chrono::duration<double, std::milli>(time).count();
        };
        field("least", ms(times.least));
        field("median", ms(times.median));
        field("most", ms(times.most));
    }
};

} // namespace keyswap::tools

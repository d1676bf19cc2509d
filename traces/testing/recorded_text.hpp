#pragma once

/// \file For tests: snapshots of output texts, as last reviewed. To accept an intended change,
/// run `tools/scripts/record-texts`, which rewrites the snapshots, and review the difference as
/// part of the change.

#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace keyswap::testing {

/// Relative tolerance for numbers in a text: compilers round sums differently.
inline constexpr double recorded_tolerance = 1e-6;

/// True if two lines differ only in the last digits of their numbers.
inline bool is_recorded_line(std::string const& line, std::string const& recorded) {
    if (line == recorded) {
        return true; // a hash may hold digits that do not parse as a number
    }
    char const* a = line.c_str();
    char const* b = recorded.c_str();
    while (*a != '\0' && *b != '\0') {
        bool const digits = *a >= '0' && *a <= '9' && *b >= '0' && *b <= '9';
        if (!digits) {
            if (*a++ != *b++) {
                return false;
            }
            continue;
        }
        char* a_end = nullptr;
        char* b_end = nullptr;
        double const x = std::strtod(a, &a_end);
        double const y = std::strtod(b, &b_end);
        if (!(std::abs(x - y) <= recorded_tolerance * std::max(std::abs(x), std::abs(y)))) {
            return false;
        }
        a = a_end;
        b = b_end;
    }
    return *a == *b;
}

inline std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Compares a text with its snapshot line by line; writes the snapshot instead if the environment
/// variable KEYSWAP_RECORD_TEXTS is set.
inline void expect_recorded(std::filesystem::path const& file, std::string const& text) {
    if (std::getenv("KEYSWAP_RECORD_TEXTS") != nullptr) {
        put_text(file, text);
        return;
    }
    std::vector<std::string> const lines = lines_of(text);
    std::vector<std::string> const recorded = lines_of(text_of(file));
    constexpr int shown_most = 5;
    int differences = 0;
    for (std::size_t i = 0; i < std::max(lines.size(), recorded.size()); ++i) {
        std::string const now = i < lines.size() ? lines[i] : "(nothing)";
        std::string const before = i < recorded.size() ? recorded[i] : "(nothing)";
        if (!is_recorded_line(now, before) && differences++ < shown_most) {
            ADD_FAILURE() << file.string() << ":" << i + 1 << "\n  was " << before << "\n  is  "
                          << now;
        }
    }
    EXPECT_EQ(differences, 0) << "lines of " << file.filename().string()
                              << " differ (where that is meant: tools/scripts/record-texts)";
}

} // namespace keyswap::testing

#pragma once

/// \file How many worlds a test has visited, for people.

#include <cstdint>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>

namespace keyswap::proptests {

/// Rows in the order of their names; printed at its end.
class WorldTable {
  public:
    /// \param title in a word: "stand-ins"
    explicit WorldTable(std::string title) : title_(std::move(title)) {}
    WorldTable(WorldTable const&) = delete;
    WorldTable& operator=(WorldTable const&) = delete;
    ~WorldTable() {
        std::uint64_t sum = 0;
        for (auto const& [name, count] : counts_) {
            std::cout << "worlds, " << title_ << " | " << std::left << std::setw(24) << name
                      << " | " << count << '\n';
            sum += count;
        }
        std::cout << "worlds, " << title_ << " | " << std::left << std::setw(24) << "all"
                  << " | " << sum << '\n';
    }

    void add(std::string const& name, std::uint64_t count = 1) { counts_[name] += count; }

  private:
    std::string title_;
    std::map<std::string, std::uint64_t> counts_;
};

} // namespace keyswap::proptests

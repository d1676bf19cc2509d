#pragma once

/// \file Prints the number of worlds that tests have visited.

#include <cstdint>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>

namespace keyswap::proptests {

/// Counts by name; printed by the destructor.
class WorldTable {
  public:
    /// \param title one word: "stand-ins"
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

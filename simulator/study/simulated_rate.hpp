#pragma once

/// \file Rates of tables that runs of plans predict, not a law of one kernel: sorts of whole arrays
/// by levels, and searches for paths.

#include "simulator/study/stand_in_graphs.hpp"
#include "traces/measurements/rate_table.hpp"

#include <map>
#include <optional>
#include <string>

namespace keyswap::simulator {

/// Milliseconds of the schedules of shipped machines with one GPU, keys on it, and of searches on
/// stand-in graphs. Each graph is searched once.
class SimulatedRates {
  public:
    /// \return nothing for another row, or a device of which no shipped machine is made
    [[nodiscard]] std::optional<double> milliseconds(RateProfile const& profile,
                                                     PublishedRate const& rate);

  private:
    [[nodiscard]] std::optional<double> search_ms(RateProfile const& profile,
                                                  PublishedRate const& rate);

    std::map<std::string, std::optional<SearchWork>> searches_; ///< by graph, edges and method
};

} // namespace keyswap::simulator

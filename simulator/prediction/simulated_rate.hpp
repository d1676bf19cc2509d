#pragma once

/// \file Predicts those rates in tables that need simulated runs rather than a law of one kernel:
/// sorts of whole arrays by levels, and path searches.

#include "simulator/prediction/stand_in_graphs.hpp"
#include "traces/measurements/rate_table.hpp"

#include <map>
#include <optional>
#include <string>

namespace keyswap::simulator {

/// Milliseconds of schedules on shipped machines with one GPU that holds the keys, and of searches
/// on stand-in graphs. Searches each graph only once.
class SimulatedRates {
  public:
    /// \return nullopt for other rows, or if no shipped machine has such a device
    [[nodiscard]] std::optional<double> milliseconds(RateProfile const& profile,
                                                     PublishedRate const& rate);

  private:
    [[nodiscard]] std::optional<double> search_ms(RateProfile const& profile,
                                                  PublishedRate const& rate);

    std::map<std::string, std::optional<SearchWork>> searches_; ///< by graph, edges and method
};

} // namespace keyswap::simulator

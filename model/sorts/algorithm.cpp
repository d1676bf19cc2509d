#include "model/sorts/algorithm.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <string>

namespace keyswap::model {

AlgorithmInfo const& Algorithm::info() const {
    auto const row = find_algorithm_info(name);
    KEYSWAP_EXPECTS(row.has_value());
    return **row;
}

Expected<SortPlanPointer> Algorithm::plan(SortConfig const& config, KeySource& source) const {
    return check_key_type(info(), config.key_type).and_then([&] {
        return planner(config, source);
    });
}

Expected<Algorithm const*> find_algorithm(std::string_view name) {
    return find_named(algorithms(), &Algorithm::name, name, "algorithm")
        .map_error([&](InputError error) {
            error.problem = find_algorithm_info(name) ? "'" + std::string(name) +
                                                            "' can be simulated, but has no model "
                                                            "that plans or sorts"
                                                      : error.problem;
            return error;
        });
}

} // namespace keyswap::model

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
    KnownNames known;
    for (Algorithm const* const algorithm : algorithms()) {
        if (algorithm->name == name) {
            return algorithm;
        }
        known.add(algorithm->name);
    }
    return input_error("algorithm",
                       "'" + std::string(name) +
                           (find_algorithm_info(name) ? "' has no model" : "' is not known"),
                       known.remedy(name));
}

} // namespace keyswap::model

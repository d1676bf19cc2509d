#include "simulator/schedules/schedule.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <string>

namespace keyswap::simulator {

AlgorithmChoice ScheduleKind::choice() const {
    auto const row = choose(algorithm, std::string(variant));
    KEYSWAP_EXPECTS(row.has_value());
    return *row;
}

Expected<ScheduleKind const*> find_schedule(std::string_view name) {
    KnownNames known;
    ScheduleKind const* found = nullptr;
    for (ScheduleKind const* const kind : schedule_kinds()) {
        AlgorithmChoice const choice = kind->choice();
        if (full_name(choice) == name) {
            return kind;
        }
        bool const better = choice.algorithm->name == name &&
                            (found == nullptr || choice.variant < found->choice().variant);
        found = better ? kind : found;
        known.add(full_name(choice));
    }
    if (found != nullptr) {
        return found;
    }
    return input_error("algorithm",
                       "'" + std::string(name) +
                           (parse_full_name(name) ? "' has no schedule" : "' is not known"),
                       known.remedy(name));
}

} // namespace keyswap::simulator

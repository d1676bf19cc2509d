#include "simulator/prediction/machine_constants.hpp"

#include "simulator/platform/link_losses.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace keyswap::simulator {

namespace {

/// CUB versions differ by 1.3 on GPUs measured with both (cost/scaled_profile.cpp).
constexpr double library_spread = 0.3;

/// Relative uncertainty of a value to either side.
double spread(MachineConstant const& constant) {
    constexpr double assumed_spread = 0.25;
    switch (constant.kind()) {
    case OriginKind::measured:
        return 0.02;
    case OriginKind::datasheet:
    case OriginKind::derived:
        return 0.1;
    case OriginKind::assumed:
        break;
    }
    return constant.name.ends_with(".sort_pass") ? std::hypot(assumed_spread, library_spread)
                                                 : assumed_spread;
}

/// Origin of an efficiency or, if the file gives none, of the bandwidth.
std::string
origin_of(Origins const& origins, std::string const& name, std::string const& bandwidth) {
    for (std::string const& key : {name, bandwidth}) {
        if (auto const found = origins.find(key); found != origins.end()) {
            return found->second;
        }
    }
    return "assumed: not stated";
}

/// Upper bound of a device constant. Low clocks slow a kernel down at most by the ratio of the
/// clocks, i.e. by cold_compute, which applies to kernels bound by the clock alone.
double most_of(ProfileConstant const& constant, DeviceProfile const& device) {
    if (constant.name == "sort.lag") {
        return 1.0;
    }
    bool const is_slowdown = constant.unit == "times" && constant.value != &device.cold_compute;
    return is_slowdown && device.cold_compute > 1.0 ? device.cold_compute : 1e9;
}

/// Creates the constant of an efficiency.
MachineConstant part(std::string name,
                     double value,
                     std::string origin,
                     std::function<void(Machine&, double)> set) {
    constexpr double least = 1e-3; ///< the minimum in platform files
    return {std::move(name), "", value, std::move(origin), least, 1.0, std::move(set)};
}

void add_link_constants(Machine const& machine, std::vector<MachineConstant>& all) {
    for (std::size_t kind = 0; kind < machine.platform.link_kinds.size(); ++kind) {
        LinkKind const& link = machine.platform.link_kinds[kind];
        auto const add = [&](char const* name, double LinkKind::*field) {
            all.push_back(part(link.name + "." + name,
                               link.*field,
                               origin_of(link.origins, name, "bandwidth"),
                               [kind, field](Machine& machine_to_set, double value) {
                                   machine_to_set.platform.link_kinds[kind].*field = value;
                               }));
        };
        add("efficiency", &LinkKind::efficiency);
        if (link.efficiency_back) {
            all.push_back(part(link.name + ".efficiency_back",
                               *link.efficiency_back,
                               origin_of(link.origins, "efficiency_back", "bandwidth"),
                               [kind](Machine& machine_to_set, double value) {
                                   machine_to_set.platform.link_kinds[kind].efficiency_back = value;
                               }));
        }
        if (link.bandwidth_total_Bps) {
            add("efficiency_total", &LinkKind::efficiency_total);
        }
        // A loss that this kind of link does not have is not a constant of it.
        for (auto const& [name, field] : link_losses) {
            if (link.*field < 1.0) {
                add(name, field);
            }
        }
    }
}

} // namespace

OriginKind MachineConstant::kind() const {
    for (auto const& [word, kind] : {std::pair{"measured", OriginKind::measured},
                                     std::pair{"published", OriginKind::measured},
                                     std::pair{"datasheet", OriginKind::datasheet},
                                     std::pair{"derived", OriginKind::derived}}) {
        if (origin.starts_with(word)) {
            return kind;
        }
    }
    return OriginKind::assumed;
}

double MachineConstant::low() const {
    return std::clamp(value * (1.0 - spread(*this)), min, max);
}

double MachineConstant::high() const {
    return std::clamp(value * (1.0 + spread(*this)), min, max);
}

std::vector<MachineConstant> device_constants(Machine const& machine) {
    std::vector<MachineConstant> all;
    DeviceProfile copy = machine.device;
    auto const constants = constants_of(copy);
    for (std::size_t index = 0; index < constants.size(); ++index) {
        ProfileConstant const& constant = constants[index];
        auto const origin = machine.device.origins.find(constant.name);
        all.push_back(
            {constant.name,
             constant.unit,
             *constant.value,
             origin == machine.device.origins.end() ? "assumed: not stated" : origin->second,
             constant.unit == "times" || constant.unit == "bits" ? 1.0
             : constant.unit == "GB/s"                           ? 1e-3
                                                                 : 0.0,
             most_of(constant, copy),
             [index](Machine& machine_to_set, double value) {
                 *constants_of(machine_to_set.device)[index].value = value;
             }});
    }
    return all;
}

std::vector<MachineConstant> platform_constants(Machine const& machine) {
    std::vector<MachineConstant> all;
    add_link_constants(machine, all);
    for (auto const& [name, bandwidth, field] :
         {std::tuple{"memory_read_efficiency", "memory_read", &Cpu::memory_read_efficiency},
          std::tuple{"memory_write_efficiency", "memory_write", &Cpu::memory_write_efficiency}}) {
        if (!machine.platform.cpus.empty()) {
            Cpu const& first = machine.platform.cpus.front();
            all.push_back(part("cpu." + std::string(name),
                               first.*field,
                               origin_of(first.origins, name, bandwidth),
                               [field = field](Machine& machine_to_set, double value) {
                                   for (Cpu& cpu : machine_to_set.platform.cpus) {
                                       cpu.*field = value;
                                   }
                               }));
        }
    }
    return all;
}

std::vector<MachineConstant> machine_constants(Machine const& machine) {
    auto all = device_constants(machine);
    for (MachineConstant& constant : platform_constants(machine)) {
        all.push_back(std::move(constant));
    }
    return all;
}

Expected<Machine> with_assumption(Machine const& machine, std::string_view text) {
    std::size_t const equals = text.find('=');
    std::string_view const name = text.substr(0, equals);
    std::string_view const number =
        equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
    auto const value = parsed_number<double>(number);
    if (!value) {
        return input_error(setting("assume"),
                           "'" + std::string(text) + "' is not NAME=NUMBER",
                           "write for example " + setting("assume") + " " +
                               std::string(name.empty() ? "sort.lag" : name) + "=0.5");
    }
    KnownNames known;
    for (MachineConstant const& constant : machine_constants(machine)) {
        known.add(constant.name);
        if (constant.name != name) {
            continue;
        }
        if (!(*value >= constant.min && *value <= constant.max)) {
            return input_error(setting("assume"),
                               std::string(text) + " is out of range for " + constant.name,
                               "give " + std::to_string(constant.min) + " to " +
                                   std::to_string(constant.max));
        }
        Machine assumed = machine;
        constant.set(assumed, *value);
        return assumed;
    }
    return input_error(setting("assume"),
                       "'" + machine.platform.name + "' has no constant '" + std::string(name) +
                           "'",
                       known.remedy(name, "its constants: "));
}

} // namespace keyswap::simulator

#include "tools/commands/help/command_examples.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <string>

namespace keyswap::tools {

namespace {

constexpr std::array example_lists{
    Example{"sort",
            "keyswap sort keys.csv --type i64 --record run.trace.zst",
            "Sort a column on eight virtual GPUs and keep every step"},
    Example{"sort",
            "keyswap sort --distribution zipf --keys 1e6 --gpu-count 4 --output sorted.npy",
            "Make a million keys and write them sorted"},
    Example{"sort",
            "keyswap sort keys.bin --type u64 --memory 2G --output sorted.bin",
            "Sort a file that is larger than memory"},
    Example{"sort",
            "keyswap sort records.bin --record-bytes 100 --key 0:10 --output sorted.bin",
            "Sort records by their first ten bytes"},
    Example{"generate",
            "keyswap generate --distribution zipf --keys 1e8 --type u64 --output keys.npy",
            "Make a file of skewed keys"},
    Example{"generate",
            "keyswap generate --keys 1e6 --record-bytes 100 --key 0:10 --output records.bin",
            "Make records in the format of the Sort Benchmark"},
    Example{"plan",
            "keyswap plan --external --keys 1e13 --type u64 --distribution zipf --memory 64G",
            "Which ranges of 80 TB would be sorted in 64 GB?"},
    Example{"plan", "keyswap plan keys.npy --gpu-count 8", "Where would these keys go?"},
    Example{"plan",
            "keyswap plan --distribution zipf --keys 2e12 --gpu-count 72",
            "The same for more keys than any machine holds"},
    Example{"check",
            "keyswap check keys.bin sorted.bin --type u32",
            "Is this a sorted permutation of that?"},
    Example{"check",
            "keyswap check keys.bin gpu0.bin gpu1.bin --type f32",
            "The output of two GPUs, a file each"},
    Example{"check",
            "keyswap check keys.bin out.bin --type u32 --operation multisplit --rule hash:1 "
            "--buckets 8 --stable",
            "Are these the keys by bucket, each bucket in input order?"},
    Example{"check",
            "keyswap check sales.csv.gz sorted.npy --column amount --type f64",
            "The keys are a column of a compressed table"},
    Example{"verify",
            "keyswap verify run.trace.zst --junit results.xml",
            "Did a recorded run do what the model says?"},
    Example{"verify",
            "keyswap verify --ranks run-0.trace run-1.trace",
            "The same for the traces of ranks that sorted together"},
    Example{"verify",
            "keyswap verify --exchange rank0.csv rank1.csv",
            "Did each rank receive the bytes that the others sent? For logs of any program"},
    Example{"record",
            "keyswap record --library ./mysort.so --keys 1e6 --runs 800",
            "How often does a sort of mine go wrong?"},
    Example{"record",
            "keyswap record --command 'mysort {input} {output}' --type f64",
            "The same for a program"},
    Example{
        "record",
        "keyswap record --library ./mysort.so --distribution uniform,zipf --keys 1e3,1e6 --runs 50 "
        "--jobs 4 --stop-after 1",
        "Four cases, four runs at a time, until one fails"},
    Example{"record",
            "keyswap record --library ./mysort.so --type f32 --zoo",
            "Does it fail on inputs that broke other sorts?"},
    Example{"algorithms", "keyswap algorithms", "Which sorts are there, with which variants?"},
    Example{"multisplit",
            "keyswap multisplit keys.csv --type u32 --rule delta --buckets 8 --method all",
            "Order keys by bucket, by every method"},
    Example{"histogram",
            "keyswap histogram keys.csv --type f32 --bins 10 --range 0:1",
            "How many keys lie in each tenth?"},
    Example{"sssp",
            "keyswap sssp --graph roads.gr --source 0",
            "Shortest paths from a vertex, checked"},
    Example{"distributions", "keyswap distributions", "Which distributions are there?"},
    Example{"simulate",
            "keyswap simulate --platform dgx-a100 --gpus 0,2,4-6 --keys 2e9",
            "How long does it take on these GPUs, and what limits it?"},
    Example{"simulate",
            "keyswap simulate --device knf --algorithm split-radix --keys 64Mi",
            "What do a sort's steps cost inside one device of the papers?"},
    Example{"whatif",
            "keyswap whatif --platform dgx-a100 --gpu-count 4",
            "Which four of these eight GPUs?"},
    Example{"whatif",
            "keyswap whatif --platform ac922 --link 'xbus x2' --csv -",
            "What would a faster link buy?"},
    Example{"whatif",
            "keyswap whatif --platform dgx-a100 --gpu-count 1-8 --algorithm rmg-rotated",
            "How many GPUs are best, and where does one more hurt?"},
    Example{"whatif",
            "keyswap whatif --platform dgx-a100 --gpus 0 --gpus 0-7 --break-even",
            "From how many keys on do eight GPUs beat one?"},
    Example{"whatif",
            "keyswap whatif --platform dgx-a100,dgx-h100 --input-on node:0,local",
            "Compare two machines, and where the keys are"},
    Example{"whatif",
            "keyswap whatif --platform pcie-4gpu --link 'add nvswitch 300 GB/s'",
            "What would NVLink buy?"},
    Example{"whatif",
            "keyswap whatif --platform cluster:dgx-h100:2 --link 'rail = 25 GB/s'",
            "What do slower network adapters cost?"},
    Example{"whatif",
            "keyswap whatif --platform dgx-a100 --distribution uniform,zipf=0.75,zipf=1,zero",
            "What does skew cost?"},
    Example{"whatif",
            "keyswap whatif --partition --device k40c,h200 --buckets 2,32,256 --values 32",
            "Which multisplit for how many buckets?"},
    Example{"topology list", "keyswap topology list", "Which machines are known?"},
    Example{"topology show", "keyswap topology show dgx-h100", "Links, and who measured them"},
    Example{"topology draw",
            "keyswap topology draw dgx-a100 --svg dgx.svg",
            "A picture of the machine"},
    Example{"topology import",
            "nvidia-smi topo -m | keyswap topology import - --gpu H100 --output mine.toml",
            "This machine as a platform"},
    Example{"topology here", "keyswap topology here --output mine.toml", "The same in one step"},
    Example{"topology export",
            "keyswap topology export dgx-a100 --format simgrid --output dgx.xml",
            "A platform for SimGrid"},
    Example{"calibrate",
            "keyswap calibrate runs.csv --platform dgx-a100 --output mine.toml",
            "Fit the cost model to measured runs"},
    Example{"validate",
            "keyswap validate runs.csv --platform dgx-a100 --max-median-error 0.05",
            "Fail where predictions are off"},
    Example{"report", "keyswap report run.trace.zst", "A recorded run as a page"},
    Example{"report",
            "keyswap report run.trace.zst --figure buckets --out buckets.pdf",
            "A figure for a paper"},
    Example{"report",
            "keyswap report --distribution uniform --keys 2e9 --platform dgx-a100 --output a.html",
            "A plan with its prediction"},
    Example{
        "multisplit",
        "keyswap multisplit --distribution zipf --keys 1e6 --rule delta --buckets 32 --method all",
        "Do all methods give the one stable partition?"},
    Example{"multisplit",
            "keyswap multisplit --distribution zipf --keys 1e6 --rule hash:1 --buckets 64 "
            "--to-owner --gpu-count 4",
            "Shuffle: how evenly does a hash share skewed keys among four GPUs?"},
    Example{"histogram",
            "keyswap histogram samples.npy --bins 256 --range 0:1024",
            "How many samples lie in each bin?"},
    Example{"sssp",
            "keyswap sssp --graph roads.gr --source 0 --method near-far",
            "Shortest paths, checked by Dijkstra's algorithm"},
    Example{"sssp",
            "keyswap sssp --graph rmat:16:12 --device gtx1080",
            "How long would a GPU search for them?"},
    Example{"bench",
            "keyswap bench --keys 1e8,2e9 --gpus 0 --gpus 0-3 --csv runs.csv",
            "Measure this machine"},
    Example{"bench-model", "keyswap bench-model --replay-keys 1e6", "How fast is the model?"},
    Example{"bench-simulator",
            "keyswap bench-simulator --gpu-count 8,72 --tolerance 0,1e-3",
            "How fast is the simulator?"},
    Example{"completion",
            "keyswap completion bash >~/.local/share/bash-completion/completions/keyswap",
            "Complete commands in new shells"},
    Example{"man", "keyswap man | man -l -", "Read the manual"},
};

/// Path of a command without the program's name: "topology show".
std::string name_below_program(CLI::App const& command) {
    CLI::App const* const parent = command.get_parent();
    if (parent == nullptr) {
        return "";
    }
    std::string const above = name_below_program(*parent);
    return above.empty() ? command.get_name() : above + " " + command.get_name();
}

} // namespace

std::span<Example const> examples() {
    return example_lists;
}

void add_examples(CLI::App& app) {
    std::string text;
    for (Example const& example : example_lists) {
        if (example.command == name_below_program(app)) {
            text += (text.empty() ? "Examples:\n  " : "\n  ") + std::string(example.line) +
                    "\n      " + std::string(example.purpose);
        }
    }
    if (!text.empty()) {
        app.footer(text);
    }
    for (CLI::App* const command : app.get_subcommands([](CLI::App*) { return true; })) {
        add_examples(*command);
    }
}

} // namespace keyswap::tools

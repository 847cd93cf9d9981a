// How the contacts of a grain share its mass (p2, pbd). Needs settings and args in scope, and contact_row.glsl before it.
#include "shared/laws/mass_share.h"

// Do they share it by weight? They have equal parts of it, or their mean is taken, otherwise.
bool by_weight() { return settings.solver.iteration == iteration_jacobi && settings.solver.plain_mean == 0u; }
// Is the plain mean of them taken, which does not conserve momentum?
bool by_mean() { return settings.solver.iteration == iteration_jacobi && settings.solver.plain_mean != 0u; }

// Where grain i has the weights that an iteration goes by, in contact_weights.
uint weights_at(uint i, uint iteration) { return (iteration & 1u) * args.grains + i; }

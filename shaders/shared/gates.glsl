// Opens a gate for so many workgroups; for none it is closed. Needs gates in scope.
void open(uint gate, uint groups) {
  gates[gate] = Dispatch(min(groups, dispatch_row), (groups + dispatch_row - 1u) / dispatch_row, 1u);
}

uint groups_for(uint threads) { return (threads + group_size - 1u) / group_size; }

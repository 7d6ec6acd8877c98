import { Plus } from 'lucide-react';
import { Button } from './ui/button.tsx';

export const CreateButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button look="primary" onClick={onClick}>
    <Plus aria-hidden className="size-4" />
    {label}
  </Button>
);
